import { VisuallyHidden } from '@mantine/core'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import css from './step-panel.module.css'
import { placeOf, type Step, stepNames, steps } from './use-steps.ts'

type StepPanelProps = { step: Step; shown: Step; children: ReactNode }

/** The content of a step, which stays mounted while another is shown. When it is opened, it gets the focus. */
export function StepPanel({ step, shown, children }: StepPanelProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const isShown = step === shown
  const wasShown = useRef(isShown)
  // Before the first field with a problem is focused.
  useLayoutEffect(() => {
    if (isShown && !wasShown.current) heading.current?.focus()
    wasShown.current = isShown
  }, [isShown])
  return (
    <section aria-labelledby={id} hidden={!isShown} className={css['panel']}>
      <VisuallyHidden component="h3" id={id} ref={heading} tabIndex={-1}>
        {`Step ${placeOf(step) + 1} of ${steps.length}: ${stepNames[step]}`}
      </VisuallyHidden>
      {children}
    </section>
  )
}
