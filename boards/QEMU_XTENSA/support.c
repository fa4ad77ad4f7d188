// What MicroPython needs on the emulated Xtensa: a UART, an end, and what libgcc has in C.
// MIT license; Copyright (c) 2026 the tflm authors

#include <stddef.h>
#include <stdint.h>

// A request to qemu: 1 ends it with an exit code.
static int simcall(int number, int a, int b, int c) {
    register int a2 __asm("a2") = number;
    register int a3 __asm("a3") = a;
    register int a4 __asm("a4") = b;
    register int a5 __asm("a5") = c;
    __asm volatile ("simcall" : "+r" (a2), "+r" (a3) : "r" (a4), "r" (a5) : "memory");
    return a2;
}

void exit(int code) {
    simcall(1, code, 0, 0);
    for (;;) {
    }
}

void abort(void) {
    exit(99);
}

// The 16550 of the board; its registers are words.
#define UART ((volatile uint32_t *)0x9d050020)
#define DATA (0)
#define STATUS (5)
#define RECEIVED (0x01)
#define CAN_SEND (0x20)

void uart_init(void) {
}

int uart_rx_chr(void) {
    return UART[STATUS] & RECEIVED ? (int)(UART[DATA] & 0xff) : -1;
}

void uart_tx_strn(const char *text, size_t length) {
    for (; length; length--) {
        while (!(UART[STATUS] & CAN_SEND)) {
        }
        UART[DATA] = (unsigned char)*text++;
    }
}

static void say(const char *text) {
    size_t length = 0;
    while (text[length]) {
        length++;
    }
    uart_tx_strn(text, length);
}

static void say_hex(uint32_t value) {
    for (int shift = 28; shift >= 0; shift -= 4) {
        uart_tx_strn(&"0123456789abcdef"[value >> shift & 15], 1);
    }
}

// Called by the vectors for what stops a real chip, an unaligned load say.
void fault_report(uint32_t cause, uint32_t where, uint32_t address) {
    say("\r\nFAULT: exception ");
    say_hex(cause);
    say(" at ");
    say_hex(where);
    say(", address ");
    say_hex(address);
    say("\r\n");
    exit(100 + (int)cause);
}

// Each level of the recursion takes a window; eight are all that the core has.
__attribute__((noinline)) int spill_windows(int levels) {
    volatile int level = levels;
    return levels ? spill_windows(levels - 1) + level : level;
}

static uint64_t divide(uint64_t dividend, uint64_t divisor, uint64_t *remainder) {
    uint64_t quotient = 0, rest = 0;
    for (int bit = 63; bit >= 0; bit--) {
        rest = rest << 1 | (dividend >> bit & 1);
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= (uint64_t)1 << bit;
        }
    }
    *remainder = rest;
    return quotient;
}

static uint64_t magnitude(int64_t value) {
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

uint64_t __udivdi3(uint64_t a, uint64_t b) {
    uint64_t rest;
    return divide(a, b, &rest);
}

uint64_t __umoddi3(uint64_t a, uint64_t b) {
    uint64_t rest;
    divide(a, b, &rest);
    return rest;
}

int64_t __divdi3(int64_t a, int64_t b) {
    uint64_t rest, quotient = divide(magnitude(a), magnitude(b), &rest);
    return (a < 0) != (b < 0) ? -quotient : quotient;
}

int64_t __moddi3(int64_t a, int64_t b) {
    uint64_t rest;
    divide(magnitude(a), magnitude(b), &rest);
    return a < 0 ? -rest : rest;
}

int __popcountsi2(uint32_t value) {
    int count = 0;
    for (; value; value &= value - 1) {
        count++;
    }
    return count;
}

uint32_t __bswapsi2(uint32_t value) {
    return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

// Time since the start, which MicroPython 1.29 asks for: the core's cycles, 40 in a microsecond.
// They are 32 bits, so who waits longer than 107 s without asking misses some.
static uint64_t cycles(void) {
    static uint32_t last;
    static uint64_t sum;
    uint32_t now;
    __asm volatile ("rsr.ccount %0" : "=a" (now));
    sum += now - last;
    last = now;
    return sum;
}

uintptr_t ticks_us(void) {
    return cycles() / 40;
}

uintptr_t ticks_ms(void) {
    return cycles() / 40000;
}

int uart_rx_any(void) {
    return UART[STATUS] & RECEIVED;
}
