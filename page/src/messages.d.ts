// page: what the page and its workers say to each other
// MIT license; Copyright (c) 2026 the tflm authors

export type ToEmulator =
  | { kind: 'power'; rom: Uint8Array; image: Uint8Array | null } // null: flash keeps what it holds
  | { kind: 'send'; bytes: Uint8Array };

export type FromEmulator =
  | { kind: 'received'; bytes: Uint8Array }
  | { kind: 'fault'; text: string }
  | { kind: 'light'; on: boolean } // the board's LED
  | { kind: 'speed'; share: number | null }; // of a real board's, null while it slept

/** What page/make_page.py puts into about.json. */
export interface About {
  version: string;
  samples: number[][]; // pictures of the test set, 64 pixels of 0..16
  programs: { title: string; about: string; code: string }[];
  models: string[];
  boards: { id: string; name: string }[]; // that files can be made for
}

export interface Answer {
  digit: number;
  scores: number[]; // of 0..9, 0..1
  us: number; // of the board's time
}

/** A model's file. */
export interface Given {
  name: string;
  data: Uint8Array;
}

export type ToPython =
  | { kind: 'start' }
  | { kind: 'look'; name: string; data: Uint8Array }
  | { kind: 'make'; quick: boolean } // an image with the model that was looked at last: Made
  | { kind: 'report'; events: string } // of that model, with what operators took
  | { kind: 'made' }
  | { kind: 'files'; board: string; model: Given }
  | { kind: 'doctor'; port: MessagePort; label: string; model: Given }
  | { kind: 'deploy'; port: MessagePort; label: string; model: Given; to: string; replace: boolean };

/** The worker's answer; before it, how far it is. */
export type FromPython =
  | { kind: 'progress'; done: number; all: number }
  | { kind: 'result'; result: any }
  | { kind: 'error'; error: string };

/** What the page and the worker of the tools say on a MessagePort that is a serial port. */
export type ToPump = { kind: 'write'; bytes: Uint8Array };
export type FromPump = { kind: 'bytes'; bytes: Uint8Array } | { kind: 'written' } | { kind: 'lost' };

/** Of Web Serial, which TypeScript does not know, what the page uses. */
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

/** What page/python/page_tools.py finds in a model; `error` is all there is of what is none. */
export interface Found {
  error?: string;
  kind: 'tflite' | 'tflm';
  refused: string; // why it does not run, '' if it does
  inputs: Tensor[];
  outputs: Tensor[];
  labels: string[];
  said: string; // what `tflm inspect` says of it as it is written
}

/** What there is of a model for the emulated board. */
export interface Made {
  refused: string; // why there is no image, '' if there is one
  arena: number; // bytes
  final: boolean; // taking more time would change nothing
}

/** An operator of a run: its number, name, kernel, microseconds. */
export type Event = [number, string, string, number];
