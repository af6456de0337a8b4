import { Box, Center, Loader } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { PreferencesForm } from './preferences-form.tsx'
import { usePreferences } from './preferences-queries.ts'
import { SendersPanel } from './senders-panel.tsx'

/** Menu visibility, inactivity timeout and senders of the account. */
export function PreferencesPage() {
  usePageTitle('Preferences')
  useLastPageViewed()
  const preferences = usePreferences()
  if (preferences.data) {
    return (
      <>
        <PreferencesForm saved={preferences.data} />
        <Box mt="md">
          <SendersPanel />
        </Box>
      </>
    )
  }
  return (
    <>
      <PageHeader title="Preferences" />
      {preferences.isError ? (
        <FailureState message={messageOf(preferences.error)} onRetry={() => void preferences.refetch()} />
      ) : (
        <Center mih={300}>
          <Loader size={22} aria-label="Loading the preferences" />
        </Center>
      )}
    </>
  )
}
