// page: the messages between the page and its workers
// MIT license; Copyright (c) 2026 the tflm authors

declare global {
  // Of the browser's audio thread. TypeScript's library has no types for it.
  class AudioWorkletProcessor {
    readonly port: MessagePort;
  }
  function registerProcessor(name: string, kind: typeof AudioWorkletProcessor): void;
}

export type ToEmulator =
  | { kind: 'power'; rom: Uint8Array; image: Uint8Array | null } // null keeps the content of flash
  | { kind: 'send'; bytes: Uint8Array }
  | { kind: 'store'; address: number; bytes: Uint8Array }; // into the board's RAM

export type FromEmulator =
  | { kind: 'received'; bytes: Uint8Array }
  | { kind: 'started'; again: boolean } // after power-on; again: after a reset
  | { kind: 'fault'; text: string } // the board is off
  | { kind: 'light'; on: boolean } // the board's LED
  | { kind: 'speed'; share: number | null }; // share of a real board's speed, null while the board slept

/** Content of about.json, which page/make_page.py writes. */
export interface About {
  version: string;
  samples: number[][]; // pictures of the test set, 64 pixels of 0..16
  programs: { title: string; about: string; code: string }[];
  models: string[];
  boards: { id: string; name: string }[]; // boards for which the page makes files
}

export interface Answer {
  digit: number;
  scores: number[]; // 0..1, for each digit 0..9
  us: number; // microseconds on the board
}

/** A model's file. */
export interface Given {
  name: string;
  data: Uint8Array;
}

export type ToPython =
  | { kind: 'start' }
  | { kind: 'look'; name: string; data: Uint8Array }
  | { kind: 'make'; quick: boolean } // answer: Made, an image with the last model of `look`
  | { kind: 'report'; events: string } // report of that model, with the times of its operators
  | { kind: 'made' }
  | { kind: 'files'; board: string; model: Given }
  | { kind: 'doctor'; port: MessagePort; label: string; model: Given }
  | { kind: 'deploy'; port: MessagePort; label: string; model: Given; to: string; replace: boolean };

/** The worker's answer. Progress messages may come before the result. */
export type FromPython =
  | { kind: 'progress'; done: number; all: number }
  | { kind: 'result'; result: any }
  | { kind: 'missing' } // a file of the tools could not be loaded
  | { kind: 'error'; error: string };

/** Messages between the page and the tools' worker on a MessagePort that stands for a serial port. */
export type ToPump = { kind: 'write'; bytes: Uint8Array };
export type FromPump = { kind: 'bytes'; bytes: Uint8Array } | { kind: 'written' } | { kind: 'lost' };

/** The part of Web Serial that the page uses. TypeScript has no types for it. */
export interface WebSerialPort {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  open(options: { baudRate: number; bufferSize: number }): Promise<void>;
  close(): Promise<void>;
  setSignals(signals: { dataTerminalReady: boolean; requestToSend: boolean }): Promise<void>;
  getInfo(): { usbVendorId?: number; usbProductId?: number };
}

export interface WebSerial {
  requestPort(): Promise<WebSerialPort>;
}

export interface Tensor {
  name: string;
  dtype: string;
  shape: number[];
  bytes: number;
  scale: number;
  zero_point: number;
}

/** What page/python/page_tools.py finds in a model. If the file is not a model, only `error` is set. */
export interface Found {
  error?: string;
  kind: 'tflite' | 'tflm';
  refused: string; // why the model does not run, '' if it runs
  inputs: Tensor[];
  outputs: Tensor[];
  labels: string[];
  said: string; // output of `tflm inspect` for the model without optimization
}

/** Result of making a model's image for the emulated board. */
export interface Made {
  refused: string; // why no image was made, '' if it was
  arena: number; // bytes
  final: boolean; // a longer search would not change the model
}

/** An operator of a run: number, name, kernel, microseconds. */
export type Event = [number, string, string, number];
