import '@mantine/spotlight/styles.layer.css'
import { openSpotlight, Spotlight } from '@mantine/spotlight'
import { useEffect } from 'react'
import IconSearch from '#icons/IconSearch'
import { usePaletteActions } from './palette-actions.tsx'

/** More can be found by typing. */
const shownAtMost = 60

type PaletteProps = {
  /** Counted up each time it is asked for. */
  asked: number
  onShortcutsOpen: () => void
}

/** Every screen, deed and account, found by typing. */
export function Palette({ asked, onShortcutsOpen }: PaletteProps) {
  const actions = usePaletteActions(onShortcutsOpen)
  useEffect(() => openSpotlight(), [asked])
  return (
    <Spotlight
      actions={actions}
      shortcut={null}
      limit={shownAtMost}
      scrollable
      maxHeight={420}
      nothingFound="Nothing found."
      // It has no title that could name the dialog.
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      // Mantine fades the description of the marked entry below what can be read.
      styles={{ actionDescription: { opacity: 1 } }}
      searchProps={{
        leftSection: <IconSearch size={18} stroke={1.6} aria-hidden />,
        placeholder: 'Search screens, actions and accounts',
        'aria-label': 'Search screens, actions and accounts',
      }}
    />
  )
}
