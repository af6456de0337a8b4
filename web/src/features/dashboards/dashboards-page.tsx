import { Paper } from '@mantine/core'
import IconLayoutDashboard from '#icons/IconLayoutDashboard'
import { usePageTitle } from '#lib/deployment.ts'
import { useAccount } from '#lib/session/session.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'

/** The dashboards that are shared with the user. */
export function DashboardsPage() {
  usePageTitle('Dashboards')
  const { name } = useAccount()
  return (
    <>
      <PageHeader title="Dashboards" description={name || ' '} />
      <Paper>
        <EmptyState icon={<IconLayoutDashboard size={22} />} title="No dashboard is shared with you yet">
          Dashboards shared with you in this account appear here.
        </EmptyState>
      </Paper>
    </>
  )
}
