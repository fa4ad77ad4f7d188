// page: the types of what it takes of firmware/emulator
// MIT license; Copyright (c) 2026 the tflm authors

declare module 'emulator/board.mjs' {
  export class Board {
    constructor(options: {
      rom: Uint8Array;
      fillFlash: (flash: Uint8Array) => void;
      send: (bytes: Iterable<number>) => void;
      fault: (text: string) => void;
      miss?: number;
      started?: (mcu: { gpio: { addListener(listener: (state: number) => void): void }[] }) => void;
    });
    readonly flash: Uint8Array;
    readonly clock: { nanos: number };
    write(bytes: Uint8Array): void;
    run(): boolean;
  }
}

declare module 'emulator/chip.mjs' {
  export const LED: number; // its pin
}

declare module 'emulator/image.mjs' {
  export function loadImage(flash: Uint8Array, data: Uint8Array, name: string): void;
}
