import { Center, Loader, SimpleGrid } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ConfigurationForm } from './configuration-form.tsx'
import { useImportDefaults } from './configuration-queries.ts'
import { ExportSettingsPanel } from './export-settings-panel.tsx'
import { FilterSettingsPanel } from './filter-settings-panel.tsx'

/** Defaults of an account's first import, and its settings for exports and filters. */
export function ListServiceConfigurationPage() {
  usePageTitle('List Service Configuration')
  useLastPageViewed()
  const defaults = useImportDefaults()
  if (defaults.data) {
    return (
      <>
        <ConfigurationForm saved={defaults.data} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" mt="md">
          <ExportSettingsPanel />
          <FilterSettingsPanel />
        </SimpleGrid>
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
