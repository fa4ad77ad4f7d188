// pico emulator: runs PIO state machines at the speed of the simulated clock
// MIT license; Copyright (c) 2026 the tflm authors

// rp2040js runs all four state machines of a block from a timer of the host, enabled or not, and ignores
// their delays. Here, an enabled state machine executes an instruction each period of its clock divider
// (RP2040 datasheet, 3.5.5: 1 to 65536 cycles of the system clock, in 256ths), and waits one period for each
// cycle of delay. A stalled state machine tries again each period, or when the pin changes for which it waits.

import { WaitType } from './node_modules/rp2040js/dist/esm/peripherals/pio.js';

const CTRL = 0x000;

function period(machine, mcu) {
  return (((machine.clockDivInt || 65536) + machine.clockDivFrac / 256) * 1e9) / mcu.clkSys;
}

// Make a PIO block of rp2040js run at the speed of a SimulationClock.
export function pacePio(block, mcu, clock) {
  const { machines } = block;
  const due = machines.map(() => 0); // time of each machine's next instruction in nanoseconds
  const asleep = (machine) => machine.waiting && machine.waitType === WaitType.Pin;
  const next = () =>
    Math.min(...machines.map((machine, i) => (machine.enabled && !asleep(machine) ? due[i] : Infinity)));
  let stepping = -1; // the machine that executes an instruction now

  function schedule() {
    const at = next();
    if (at < Infinity) alarm.schedule(Math.max(at - clock.nanos, 0));
    else alarm.cancel();
  }

  const alarm = clock.createAlarm(() => {
    machines.forEach((machine, i) => {
      if (!machine.enabled || asleep(machine) || due[i] > clock.nanos) return;
      const before = machine.cycles;
      stepping = i;
      machine.step();
      stepping = -1;
      due[i] += Math.max(machine.cycles - before, 1) * period(machine, mcu);
    });
    block.checkChangedPins();
    schedule();
  });

  machines.forEach((machine, i) => {
    const check = machine.checkWait;
    machine.checkWait = function () {
      const slept = asleep(this);
      check.call(this);
      if (!slept || this.waiting || stepping === i) return;
      due[i] = clock.nanos + period(this, mcu);
      schedule();
    };
  });

  block.run = () => {}; // disables rp2040js' timer
  const write = block.writeUint32;
  block.writeUint32 = function (offset, value) {
    const were = machines.map(({ enabled }) => enabled);
    write.call(block, offset, value);
    if (offset !== CTRL) return;
    machines.forEach(({ enabled }, i) => {
      if (enabled && !were[i]) due[i] = clock.nanos;
    });
    schedule();
  };
}
