import { generateSync } from 'otplib'

/** The code of an app, so many steps of 30 seconds from now. */
export function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret: secret.replaceAll(' ', ''), epoch: Date.now() / 1000 + steps * 30 })
}

/** Waits for the next 30 seconds when these end in a moment, and with them what a code's place among them is. */
export async function untilStepsLast(): Promise<void> {
  const leftMs = 30_000 - (Date.now() % 30_000)
  if (leftMs < 2000) await new Promise((resolve) => setTimeout(resolve, leftMs + 10))
}

/** Six digits that are no code now, before or after. */
export function wrongCode(secret: string): string {
  const right = [-1, 0, 1, 2].map((steps) => codeOf(secret, steps))
  return ['000000', '111111', '222222', '333333', '444444'].find((code) => !right.includes(code)) ?? ''
}
