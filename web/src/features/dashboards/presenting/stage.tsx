import type { Dashboard } from '@portico/contract/dashboards'
import { lazy, type ReactNode, Suspense } from 'react'
import { Printing } from '#domain/dashboards'
import css from './stage.module.css'
import type { Presentation } from './use-presentation.ts'

const FullScreenBar = lazy(async () => ({ default: (await import('./full-screen-bar.tsx')).FullScreenBar }))
const PrintPage = lazy(async () => ({ default: (await import('./print-page.tsx')).PrintPage }))

type StageProps = { dashboard: Dashboard; presentation: Presentation; children: ReactNode }

/** The place of a dashboard: below the page's header, on paper, or on the whole screen. */
export function Stage({ dashboard, presentation, children }: StageProps) {
  const { mode, end } = presentation
  return (
    <div className={css['stage']} data-mode={mode}>
      <Suspense>
        {mode === 'full' && <FullScreenBar name={dashboard.name} onEnd={end} />}
        {mode === 'print' && <PrintPage name={dashboard.name} onEnd={end} />}
      </Suspense>
      <Printing value={mode === 'print'}>{children}</Printing>
    </div>
  )
}
