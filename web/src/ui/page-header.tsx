import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import css from './page-header.module.css'

type PageHeaderProps = {
  title: string
  /** A space keeps the line's place until there is something to say. */
  description?: ReactNode
  actions?: ReactNode
}

/** The one heading of a screen, with its buttons at the right. */
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
