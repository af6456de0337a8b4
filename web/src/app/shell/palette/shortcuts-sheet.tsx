import { Kbd, Modal, Switch } from '@mantine/core'
import type { ReactNode } from 'react'
import { useUser } from '#lib/session/session.ts'
import { openPlaces, useAreKeysOn } from './shortcuts.ts'
import css from './shortcuts-sheet.module.css'

/** All keyboard shortcuts, and the switch that disables those of a single key. */
export function ShortcutsSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const user = useUser()
  const [areKeysOn, setKeysOn] = useAreKeysOn()
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" size={560}>
      <Switch
        label="Single-key shortcuts"
        description="Disabled while typing. Ctrl+K always works."
        checked={areKeysOn}
        onChange={(event) => setKeysOn(event.currentTarget.checked)}
        mb="md"
      />
      <div className={css['columns']}>
        <Section title="Everywhere">
          <Row label="Command palette" keys={['Ctrl', 'K']} joint="+" />
          <Row label="Search this screen" keys={['/']} />
          <Row label="Collapse or expand the side menu" keys={['[']} />
          <Row label="These shortcuts" keys={['?']} />
        </Section>
        <Section title="Go to">
          {openPlaces(user).map(({ key, label }) => (
            <Row key={key} label={label} keys={['g', key]} joint="then" />
          ))}
        </Section>
      </div>
    </Modal>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className={css['title']}>{title}</h3>
      <dl className={css['list']}>{children}</dl>
    </section>
  )
}

function Row({ label, keys, joint = '' }: { label: string; keys: [string, ...string[]]; joint?: string }) {
  const [first, second] = keys
  return (
    <div className={css['row']}>
      <dt>{label}</dt>
      <dd>
        <Kbd>{first}</Kbd>
        {second !== undefined && (
          <>
            {' '}
            <span className={css['joint']}>{joint}</span> <Kbd>{second}</Kbd>
          </>
        )}
      </dd>
    </div>
  )
}
