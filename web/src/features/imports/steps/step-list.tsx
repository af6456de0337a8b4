import { TabLabel } from '#ui/page/tab-label.tsx'
import css from './step-list.module.css'
import { stepNames, type Step, type Steps, steps } from './use-steps.ts'

type StepListProps = {
  shown: Steps
  /** Problems of the step are shown in it. */
  isWrong: (step: Step) => boolean
  isDisabled: boolean
  onChoose: (step: Step) => void
}

/** The steps of the dialog; those reached so far can be opened again. */
export function StepList({ shown, isWrong, isDisabled, onChoose }: StepListProps) {
  return (
    <nav aria-label="Steps" className={css['steps']}>
      <ol className={css['list']}>
        {steps.map((step, index) => (
          <li key={step} className={css['item']}>
            <button
              type="button"
              className={css['step']}
              aria-current={step === shown.step ? 'step' : undefined}
              disabled={!shown.isReached(step) || (isDisabled && step !== shown.step)}
              onClick={() => step !== shown.step && onChoose(step)}
            >
              <span className={css['number']} aria-hidden>
                {index + 1}
              </span>
              <TabLabel isWrong={shown.isReached(step) && isWrong(step)}>{stepNames[step]}</TabLabel>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
