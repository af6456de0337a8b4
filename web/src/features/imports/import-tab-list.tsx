import { Tabs } from '@mantine/core'
import IconFingerprint from '#icons/IconFingerprint'
import IconInfoCircle from '#icons/IconInfoCircle'
import IconLink from '#icons/IconLink'
import IconMail from '#icons/IconMail'
import IconTable from '#icons/IconTable'
import { TabLabel } from '#ui/tab-label.tsx'
import type { Tab } from './new-import-rules.ts'

type ImportTabListProps = { generatesPurl: boolean; isWrong: (tab: Tab) => boolean }

/** The tabs of the new-import dialog; those of PURL and dedup columns are there only when PURLs are generated. */
export function ImportTabList({ generatesPurl, isWrong }: ImportTabListProps) {
  return (
    <Tabs.List mb="md">
      <Tabs.Tab value="main" leftSection={<IconInfoCircle size={15} aria-hidden />}>
        <TabLabel isWrong={isWrong('main')}>Main Info</TabLabel>
      </Tabs.Tab>
      <Tabs.Tab value="preview" leftSection={<IconTable size={15} aria-hidden />}>
        <TabLabel isWrong={isWrong('preview')}>Preview</TabLabel>
      </Tabs.Tab>
      {generatesPurl && (
        <>
          <Tabs.Tab value="purl" leftSection={<IconLink size={15} aria-hidden />}>
            <TabLabel isWrong={isWrong('purl')}>PURL Columns</TabLabel>
          </Tabs.Tab>
          <Tabs.Tab value="dedup" leftSection={<IconFingerprint size={15} aria-hidden />}>
            <TabLabel isWrong={isWrong('dedup')}>Dedup Columns</TabLabel>
          </Tabs.Tab>
        </>
      )}
      <Tabs.Tab value="emails" leftSection={<IconMail size={15} aria-hidden />}>
        <TabLabel isWrong={isWrong('emails')}>Notification Emails</TabLabel>
      </Tabs.Tab>
    </Tabs.List>
  )
}
