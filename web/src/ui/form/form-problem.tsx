import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'

/** Red also where an alert has text of the usual color (specification 4 §8). */
const styles = { message: { color: 'var(--alert-color)' } }

/** Why a form was refused, said aloud; nothing while nothing is wrong. */
export function FormProblem({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert" styles={styles}>
      {children}
    </Alert>
  )
}
