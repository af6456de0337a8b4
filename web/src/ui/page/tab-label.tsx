import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import IconExclamationCircleFilled from '#icons/IconExclamationCircleFilled'
import css from './tab-label.module.css'

/** The label of a form's tab, with a mark if one of its fields has an error. */
export function TabLabel({ isWrong, children }: { isWrong: boolean; children: ReactNode }) {
  return (
    <span className={css['label']}>
      {children}
      {isWrong && (
        <>
          <IconExclamationCircleFilled size={15} className={css['mark']} aria-hidden />
          <VisuallyHidden>(has errors)</VisuallyHidden>
        </>
      )}
    </span>
  )
}
