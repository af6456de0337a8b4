/** The second step of a sign-in: the token of the first step, valid until `endsAt` (ms). */
export type CodeStep = { token: string; email: string; endsAt: number }

const key = 'portico.codeStep'
/** The server accepts the token for five minutes. */
export const codeLifetimeMs = 5 * 60_000

/** Stores the step in this tab: a reload does not return to the password. */
export function beginCodeStep(token: string, email: string): CodeStep {
  const step = { token, email, endsAt: Date.now() + codeLifetimeMs }
  sessionStorage.setItem(key, JSON.stringify(step))
  return step
}

/** The step that this tab is in; null if there is none, or if its time is over. */
export function keptCodeStep(): CodeStep | null {
  try {
    const step = JSON.parse(sessionStorage.getItem(key) ?? 'null') as CodeStep | null
    return step && step.endsAt > Date.now() ? step : null
  } catch {
    return null
  }
}

export const endCodeStep = (): void => sessionStorage.removeItem(key)
