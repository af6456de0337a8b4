import { Box, Center, Loader } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ConfigurationForm } from './configuration-form.tsx'
import { useImportDefaults } from './configuration-queries.ts'
import { ExportSettingsPanel } from './export-settings-panel.tsx'

/** What the form of the first import starts with, and how exports are written. */
export function ListServiceConfigurationPage() {
  usePageTitle('List Service Configuration')
  useLastPageViewed()
  const defaults = useImportDefaults()
  if (defaults.data) {
    return (
      <>
        <ConfigurationForm saved={defaults.data} />
        <Box mt="md">
          <ExportSettingsPanel />
        </Box>
      </>
    )
  }
  return (
    <>
      <PageHeader title="List Service Configuration" />
      {defaults.isError ? (
        <FailureState message={messageOf(defaults.error)} onRetry={() => void defaults.refetch()} />
      ) : (
        <Center mih={300}>
          <Loader size={22} aria-label="Loading the configuration" />
        </Center>
      )}
    </>
  )
}
