import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { placeOf, type Step, type Steps } from './use-steps.ts'

type StepFlowInput = {
  steps: Steps
  /** The fields that have a problem, shown or not. */
  findProblems: () => string[]
  stepOf: (field: string) => Step
  /** Shows the problems of these fields, and opens the first of them within its step. */
  show: (fields: string[]) => void
  /** Opens a step, with all that belongs to opening it. */
  open: (step: Step) => void
}

/** Moves a form between its steps: on from a step without problems, and to the step with the first problem. */
export function useStepFlow({ steps, findProblems, stepOf, show, open }: StepFlowInput) {
  /** Shows the problems of these fields, and the step of the first one, unless the current step has problems too. */
  function reveal(fields: string[]): void {
    const wrong = fields.map(stepOf).toSorted((one, other) => placeOf(one) - placeOf(other))
    for (const step of wrong) steps.reach(step)
    const shown = wrong.includes(steps.step) ? steps.step : wrong[0]
    if (shown) steps.show(shown)
    show([...fields.filter((field) => stepOf(field) === shown), ...fields])
    focusFirstProblem()
  }
  return {
    reveal,
    /** Opens the next step if this one has no problems. */
    goOn: (): void => {
      const here = findProblems().filter((field) => stepOf(field) === steps.step)
      if (here.length > 0) return reveal(here)
      if (steps.next) open(steps.next)
    },
    goBack: (): void => {
      if (steps.before) open(steps.before)
    },
    /** Whether all steps are complete; if not, their problems are shown. */
    isComplete: (): boolean => {
      const problems = findProblems()
      if (problems.length > 0) reveal(problems)
      return problems.length === 0
    },
  }
}
