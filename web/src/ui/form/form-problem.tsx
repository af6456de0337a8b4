import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'

/** Red even in an alert, whose text has the default color (specification 4 §8). */
const styles = { message: { color: 'var(--alert-color)' } }

/** Why a form was refused, announced by screen readers; renders nothing without a problem. */
export function FormProblem({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert" styles={styles}>
      {children}
    </Alert>
  )
}
