// page: what the page and its workers say to each other
// MIT license; Copyright (c) 2026 the tflm authors

export type ToEmulator =
  | { kind: 'power'; rom: Uint8Array; image: Uint8Array }
  | { kind: 'send'; bytes: Uint8Array };

export type FromEmulator =
  | { kind: 'received'; bytes: Uint8Array }
  | { kind: 'fault'; text: string }
  | { kind: 'speed'; share: number | null }; // of a real board's, null while it slept

/** What page/make_page.py puts into about.json. */
export interface About {
  version: string;
  samples: number[][]; // pictures of the test set, 64 pixels of 0..16
  programs: { title: string; about: string; code: string }[];
  models: string[];
}

export interface Answer {
  digit: number;
  scores: number[]; // of 0..9, 0..1
  us: number; // of the board's time
}

export type ToPython =
  | { kind: 'look'; name: string; data: Uint8Array }
  | { kind: 'timed'; events: string }
  | { kind: 'made' };

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
  refused: string; // why it does not run on the board here, '' if it does
  inputs: Tensor[];
  outputs: Tensor[];
  labels: string[];
  page: string; // the report, HTML
}

/** An operator of a run: its number, name, kernel, microseconds. */
export type Event = [number, string, string, number];
