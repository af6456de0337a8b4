import { Stack } from '@mantine/core'
import IconLock from '#icons/IconLock'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useUser } from '#lib/session/session.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ImpersonationForm } from './impersonation-form.tsx'
import { LiveLinks } from './live-links.tsx'

/** Creates links that open the portal with chosen permissions of the user, and revokes them. */
export function ImpersonationPage() {
  usePageTitle('Impersonation')
  useLastPageViewed()
  const { policies } = useUser()
  return (
    <>
      <PageHeader
        title="Impersonation"
        description="Create a link that opens the portal with your permissions, from one address, for a few hours."
      />
      <Stack gap="md">
        {policies.length > 0 ? (
          <ImpersonationForm />
        ) : (
          <EmptyState icon={<IconLock size={22} />} title="You have no policies to share.">
            Links are available to power admins and power users with policies in this account.
          </EmptyState>
        )}
        <LiveLinks />
      </Stack>
    </>
  )
}
