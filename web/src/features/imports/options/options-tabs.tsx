import { Tabs } from '@mantine/core'
import { ColumnTab } from './column-tab.tsx'
import { LateKeys } from './late-keys.tsx'
import { ImportTabList, openTabOf } from './import-tab-list.tsx'
import { MainInfoTab } from './main-info-tab.tsx'
import { NotificationTab } from './notification-tab.tsx'
import type { Suggestions } from '../new-import/column-suggestions.ts'
import type { LeftOutColumns } from '../new-import/carried-columns.ts'
import type { NewImportForm } from '../new-import/new-import-form-state.ts'
import type { ColumnField, Locks, Tab } from '../new-import/new-import-rules.ts'

type OptionsTabsProps = {
  form: NewImportForm
  locks: Locks
  /** Problems of the fields that name columns missing from the file. */
  missing: Partial<Record<ColumnField, string>>
  leftOut: LeftOutColumns
  suggestions: Suggestions
  tab: Tab
  onTabChange: (tab: Tab) => void
  isWrong: (tab: Tab) => boolean
}

/** The settings of an import of contacts, in the tabs of specification 3 §2.2. */
export function OptionsTabs({ form, locks, tab, onTabChange, isWrong, ...columns }: OptionsTabsProps) {
  const { generatePURL, purlGenerationScope } = form.values
  // The contacts of an import with its own scope are not compared with others.
  const isMatched = purlGenerationScope === 'account'
  const shown = generatePURL || (tab !== 'purl' && tab !== 'dedup') ? tab : 'main'
  return (
    <Tabs
      value={shown}
      onChange={(value) => {
        const chosen = openTabOf(value)
        if (chosen) onTabChange(chosen)
      }}
    >
      <ImportTabList shown={shown} generatesPurl={generatePURL} isWrong={isWrong} />
      <Tabs.Panel value="main">
        <MainInfoTab form={form} locks={locks} {...columns} />
      </Tabs.Panel>
      {generatePURL && (
        <>
          <Tabs.Panel value="purl">
            <ColumnTab kind="purl" form={form} isLocked={locks.purlColumns} {...columns} />
          </Tabs.Panel>
          <Tabs.Panel value="dedup">
            <ColumnTab kind="dedup" form={form} isLocked={locks.dedupColumns} {...columns}>
              {shown === 'dedup' && isMatched && <LateKeys form={form} isLocked={locks.dedupColumns} />}
            </ColumnTab>
          </Tabs.Panel>
        </>
      )}
      <Tabs.Panel value="emails">
        <NotificationTab form={form} />
      </Tabs.Panel>
    </Tabs>
  )
}
