import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'

/** Why a form was refused, said aloud; nothing while nothing is wrong. */
export function FormProblem({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
      {children}
    </Alert>
  )
}
