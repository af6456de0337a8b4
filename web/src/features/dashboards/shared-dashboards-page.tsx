import type { Dashboard } from '@portico/contract/dashboards'
import { Paper } from '@mantine/core'
import { useMemo } from 'react'
import IconLayoutDashboard from '#icons/IconLayoutDashboard'
import { storedDefinition } from '#domain/dashboards'
import { usePageTitle } from '#lib/deployment.ts'
import { useAccount, useCan } from '#lib/session/session.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { DashboardMenu } from './dashboard-menu.tsx'
import { DashboardPicker } from './dashboard-picker.tsx'
import { DashboardView } from './dashboard-view.tsx'
import { LoadFailure } from './load-failure.tsx'
import { Stage } from './presenting/stage.tsx'
import { usePresentation } from './presenting/use-presentation.ts'
import { useOpenDashboard } from './use-open-dashboard.ts'

/** The dashboards shared with the user, for viewing. */
export function SharedDashboardsPage() {
  usePageTitle('Dashboards')
  const { name } = useAccount()
  const canView = useCan('contact-dashboards-view')
  return (
    <>
      {canView ? (
        <Shown account={name} />
      ) : (
        <>
          <PageHeader title="Dashboards" description={name || ' '} />
          <NothingShared />
        </>
      )}
    </>
  )
}

function Shown({ account }: { account: string }) {
  const { list, dashboard, id, open } = useOpenDashboard()
  const presentation = usePresentation()
  return (
    <>
      {presentation.mode !== 'print' && (
        <PageHeader
          title="Dashboards"
          description={account || ' '}
          actions={
            <>
              {list.data && list.data.length > 0 && <DashboardPicker list={list.data} value={id} onChange={open} />}
              {dashboard.data && <DashboardMenu dashboard={dashboard.data} presentation={presentation} />}
            </>
          }
        />
      )}
      <LoadFailure error={list.error ?? dashboard.error} />
      {list.data?.length === 0 && <NothingShared />}
      {dashboard.data && (
        <Stage dashboard={dashboard.data} presentation={presentation}>
          <ReadOnly dashboard={dashboard.data} />
        </Stage>
      )}
    </>
  )
}

function ReadOnly({ dashboard }: { dashboard: Dashboard }) {
  const definition = useMemo(() => storedDefinition(dashboard), [dashboard])
  return <DashboardView dashboard={dashboard} definition={definition} />
}

const NothingShared = () => (
  <Paper>
    <EmptyState icon={<IconLayoutDashboard size={22} />} title="No dashboard is shared with you yet">
      Dashboards shared with you in this account appear here.
    </EmptyState>
  </Paper>
)
