import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import css from './empty-state.module.css'

type EmptyStateProps = { icon?: ReactNode; title: string; children?: ReactNode; action?: ReactNode }

/** Says why a list is empty, and what to do about it. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={css['empty']}>
      {icon && (
        <div className={css['icon']} aria-hidden>
          {icon}
        </div>
      )}
      <Text fw={600} size="md">
        {title}
      </Text>
      {children && (
        <Text size="sm" c="dimmed" maw={440}>
          {children}
        </Text>
      )}
      {action && <div className={css['action']}>{action}</div>}
    </div>
  )
}
