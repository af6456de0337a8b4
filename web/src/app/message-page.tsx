import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { usePageTitle } from '#lib/deployment.ts'
import css from './message-page.module.css'

type MessagePageProps = {
  title: string
  icon?: ReactNode
  children: ReactNode
  action?: ReactNode
  /** Rendered alone, outside the shell. */
  isWholePage?: boolean
}

/** A page with a single message. */
export function MessagePage({ title, icon, children, action, isWholePage = false }: MessagePageProps) {
  usePageTitle(title)
  const Root = isWholePage ? 'main' : 'div'
  return (
    <Root className={css['page']} data-whole={isWholePage || undefined}>
      {icon && (
        <div className={css['icon']} aria-hidden>
          {icon}
        </div>
      )}
      <Title order={1}>{title}</Title>
      <div className={css['text']}>{children}</div>
      {action && <div className={css['action']}>{action}</div>}
    </Root>
  )
}
