import { Stack } from '@mantine/core'
import IconLock from '#icons/IconLock'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useUser } from '#lib/session/session.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ImpersonationForm } from './impersonation-form.tsx'
import { LiveLinks } from './live-links.tsx'

/** Makes links that open the portal with chosen rights of the user, and ends them. */
export function ImpersonationPage() {
  usePageTitle('Impersonation')
  useLastPageViewed()
  const { policies } = useUser()
  return (
    <>
      <PageHeader
        title="Impersonation"
        description="A link opens the portal with rights of yours, for one address and some hours."
      />
      <Stack gap="md">
        {policies.length > 0 ? (
          <ImpersonationForm />
        ) : (
          <EmptyState icon={<IconLock size={22} />} title="You hold no policies that a link could carry.">
            Links are for power admins and power users who hold policies in this account.
          </EmptyState>
        )}
        <LiveLinks />
      </Stack>
    </>
  )
}
