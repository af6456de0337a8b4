import { Button, Group, Modal } from '@mantine/core'
import css from './alerts-dialog.module.css'

/** One message, and the items it is about. */
export type AlertSection = {
  /** 'Following policies could not be deleted:' */
  title: string
  kind: 'done' | 'failed'
  items: { name: string; message?: string }[]
}

/** Reports the result of an action on many items: which succeeded, which failed, and why. */
export function AlertsDialog({ sections, onClose }: { sections: AlertSection[] | null; onClose: () => void }) {
  const shown = (sections ?? []).filter(({ items }) => items.length > 0)
  return (
    <Modal opened={sections !== null} onClose={onClose} title="Result" size="md" centered>
      {shown.map(({ title, kind, items }) => (
        <section key={title} className={css['section']} data-kind={kind}>
          <h3>{title}</h3>
          <ul>
            {items.map(({ name, message }, index) => (
              // Two items may have the same name.
              <li key={`${index}:${name}`}>
                <b>{name}</b>
                {message && <span>{message}</span>}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose} data-autofocus>
          OK
        </Button>
      </Group>
    </Modal>
  )
}
