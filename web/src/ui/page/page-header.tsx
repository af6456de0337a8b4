import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import css from './page-header.module.css'

type PageHeaderProps = {
  title: string
  /** A space reserves the line until there is a description. */
  description?: ReactNode
  actions?: ReactNode
}

/** The only heading of a screen, with its buttons on the right. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <header className={css['header']}>
      <div className={css['text']}>
        <Title order={1}>{title}</Title>
        {description && (
          <Text size="sm" c="dimmed" className={css['description'] ?? ''}>
            {description}
          </Text>
        )}
      </div>
      {actions && <div className={css['actions']}>{actions}</div>}
    </header>
  )
}
