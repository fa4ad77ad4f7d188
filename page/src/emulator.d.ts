// page: types of the parts of firmware/emulator that the page uses
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
      bootloader?: () => void;
    });
    readonly flash: Uint8Array;
    readonly clock: { nanos: number };
    write(bytes: Uint8Array): void;
    store(address: number, bytes: Uint8Array): void;
    run(): boolean;
  }
}

declare module 'emulator/chip.mjs' {
  export const LED: number; // pin of the LED
}

declare module 'emulator/image.mjs' {
  export function loadImage(flash: Uint8Array, data: Uint8Array, name: string): void;
}
