import { Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import css from './panel.module.css'

type PanelProps = { title: string; description?: ReactNode; actions?: ReactNode; children: ReactNode }

/** A part of a screen with a heading of its own. */
export function Panel({ title, description, actions, children }: PanelProps) {
  const titleId = useId()
  return (
    <Paper component="section" className={css['panel'] ?? ''} aria-labelledby={titleId}>
      <div className={css['head']}>
        <div>
          <Title order={2} id={titleId}>
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
        {actions}
      </div>
      {children}
    </Paper>
  )
}
