import { useState } from 'react'

/** The steps of a new import, in their order. */
export const steps = ['file', 'match', 'options', 'review'] as const
export type Step = (typeof steps)[number]

export const stepNames: Record<Step, string> = { file: 'File', match: 'Match', options: 'Options', review: 'Review' }

/** The step that a form shows, and the furthest one that was reached, up to which all can be opened again. */
export function useSteps() {
  const [step, setStep] = useState<Step>('file')
  const [furthest, setFurthest] = useState<Step>('file')
  const reach = (one: Step): void => setFurthest((now) => (placeOf(one) > placeOf(now) ? one : now))
  return {
    step,
    isReached: (one: Step): boolean => placeOf(one) <= placeOf(furthest),
    reach,
    show: (one: Step): void => {
      setStep(one)
      reach(one)
    },
    /** Null at the first step. */
    before: steps[placeOf(step) - 1] ?? null,
    /** Null at the last step. */
    next: steps[placeOf(step) + 1] ?? null,
  }
}

export type Steps = ReturnType<typeof useSteps>

export const placeOf = (step: Step): number => steps.indexOf(step)
