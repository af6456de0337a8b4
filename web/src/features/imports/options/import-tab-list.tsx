import { Tabs, Tooltip } from '@mantine/core'
import { type ComponentProps, type ComponentType, useEffect, useRef } from 'react'
import IconFingerprint from '#icons/IconFingerprint'
import IconInfoCircle from '#icons/IconInfoCircle'
import IconKey from '#icons/IconKey'
import IconLink from '#icons/IconLink'
import IconMail from '#icons/IconMail'
import IconServer from '#icons/IconServer'
import { TabLabel } from '#ui/page/tab-label.tsx'
import css from './import-tab-list.module.css'
import type { Tab } from '../new-import/new-import-rules.ts'

type OpenTab = { value: Tab; label: string; Icon: ComponentType<ComponentProps<typeof IconInfoCircle>> }

const tabs: OpenTab[] = [
  { value: 'main', label: 'Main Info', Icon: IconInfoCircle },
  { value: 'purl', label: 'PURL Columns', Icon: IconLink },
  { value: 'dedup', label: 'Dedup Columns', Icon: IconFingerprint },
  { value: 'emails', label: 'Notification Emails', Icon: IconMail },
]

/** These tabs are shown but cannot be selected (specification 3 §2.2). */
const closedTabs = [
  { value: 'sftp', label: 'SFTP', Icon: IconServer, reason: 'SFTP import is not available.' },
  { value: 'pgp', label: 'PGP', Icon: IconKey, reason: 'Encrypted import is not available.' },
]

type ImportTabListProps = { shown: Tab; generatesPurl: boolean; isWrong: (tab: Tab) => boolean }

/** The tabs of the options; those of PURL and dedup columns are shown only if PURLs are generated. */
export function ImportTabList({ shown, generatesPurl, isWrong }: ImportTabListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shown])
  const open = tabs.filter(({ value }) => generatesPurl || (value !== 'purl' && value !== 'dedup'))
  return (
    <Tabs.List ref={list} mb="md" className={css['list'] ?? ''}>
      {open.map(({ value, label, Icon }) => (
        <Tabs.Tab key={value} value={value} className={css['tab'] ?? ''} leftSection={<Icon size={15} aria-hidden />}>
          <TabLabel isWrong={isWrong(value)}>{label}</TabLabel>
        </Tabs.Tab>
      ))}
      {closedTabs.map(({ value, label, Icon, reason }) => (
        <Tooltip key={value} label={reason} events={{ hover: true, focus: true, touch: true }}>
          {/* Not `disabled`: the keyboard must reach it to show the reason. */}
          <Tabs.Tab
            value={value}
            className={css['tab'] ?? ''}
            aria-disabled
            data-closed
            leftSection={<Icon size={15} aria-hidden />}
          >
            {label}
          </Tabs.Tab>
        </Tooltip>
      ))}
    </Tabs.List>
  )
}

/** The tab of that name, if it can be selected. */
export const openTabOf = (value: string | null): Tab | undefined => tabs.find((tab) => tab.value === value)?.value
