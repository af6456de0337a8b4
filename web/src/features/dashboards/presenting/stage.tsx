import type { Dashboard } from '@portico/contract/dashboards'
import type { ReactNode } from 'react'
import { Printing } from '#domain/dashboards'
import { deferred } from '#ui/page/deferred.tsx'
import css from './stage.module.css'
import type { Presentation } from './use-presentation.ts'

const FullScreenBar = deferred(async () => (await import('./full-screen-bar.tsx')).FullScreenBar)
const PrintPage = deferred(async () => (await import('./print-page.tsx')).PrintPage)

type StageProps = { dashboard: Dashboard; presentation: Presentation; children: ReactNode }

/** The container of a dashboard: below the page's header, in print, or in full screen. */
export function Stage({ dashboard, presentation, children }: StageProps) {
  const { mode, end } = presentation
  return (
    <div className={css['stage']} data-mode={mode}>
      {mode === 'full' && <FullScreenBar name={dashboard.name} onEnd={end} />}
      {mode === 'print' && <PrintPage name={dashboard.name} onEnd={end} />}
      <Printing value={mode === 'print'}>{children}</Printing>
    </div>
  )
}
