import '@mantine/spotlight/styles.layer.css'
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import IconSearch from '#icons/IconSearch'
import { useMarkKept } from './mark.ts'
import { matchingCommands } from './matching-commands.ts'
import { usePaletteActions } from './palette-actions.tsx'
import { useRecords } from './use-records.ts'
import css from './palette.module.css'

const [store, spotlight] = createSpotlight()

const label = 'Search records, screens, actions and accounts'

type PaletteProps = {
  /** Incremented each time the palette is requested. */
  asked: number
  onShortcutsOpen: () => void
}

/** Every screen, action and account, and records by their names, found by typing. */
export function Palette({ asked, onShortcutsOpen }: PaletteProps) {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const commands = matchingCommands(usePaletteActions(onShortcutsOpen), text)
  const { groups, status, isSearching } = useRecords(text, useSpotlight(store).opened)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => spotlight.open(), [asked])
  useMarkKept(store, list)
  const hasFound = commands.length > 0 || groups.length > 0
  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      scrollable
      maxHeight={420}
      // The dialog has no visible title that could name it.
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      // Mantine fades the description of the marked entry until it is unreadable.
      styles={{ actionDescription: { opacity: 1 } }}
    >
      <Spotlight.Search
        leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
        placeholder={label}
        aria-label={label}
      />
      {hasFound && (
        <Spotlight.ActionsList ref={list}>
          {commands.map(({ group, actions }) => (
            <Group key={group} heading={group}>
              {actions.map(({ id, ...action }) => (
                <Spotlight.Action key={id} {...action} />
              ))}
            </Group>
          ))}
          {groups.map(({ heading, Icon, records }) => (
            <Group key={heading} heading={heading}>
              {records.map(({ id, path, ...record }) => (
                <Spotlight.Action
                  key={id}
                  {...record}
                  leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
                  onClick={() => void navigate(path)}
                />
              ))}
            </Group>
          ))}
        </Spotlight.ActionsList>
      )}
      {!hasFound && !isSearching && <Spotlight.Empty>Nothing found.</Spotlight.Empty>}
      <output className={css['status']}>{status}</output>
    </Spotlight.Root>
  )
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- Mantine draws it as a <div>, its heading as a style
    <Spotlight.ActionsGroup label={heading} role="group" aria-label={heading}>
      {children}
    </Spotlight.ActionsGroup>
  )
}
