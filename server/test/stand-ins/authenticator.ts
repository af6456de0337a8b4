import { generateSync } from 'otplib'

/** Returns the code of an authenticator app, `steps` steps of 30 seconds from now. */
export function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret: secret.replaceAll(' ', ''), epoch: Date.now() / 1000 + steps * 30 })
}

/** Waits for the next step of 30 seconds if the current one is about to end, so codes stay valid. */
export async function untilStepsLast(): Promise<void> {
  const leftMs = 30_000 - (Date.now() % 30_000)
  if (leftMs < 2000) await new Promise((resolve) => setTimeout(resolve, leftMs + 10))
}

/** Returns six digits that are not the current, previous or next code. */
export function wrongCode(secret: string): string {
  const right = [-1, 0, 1, 2].map((steps) => codeOf(secret, steps))
  return ['000000', '111111', '222222', '333333', '444444'].find((code) => !right.includes(code)) ?? ''
}
