import { ActionLabel } from './action-label.tsx'
import css from './rights.module.css'

/** Actions one below the other, each with its name, raw form and sentence. */
export function ActionList({ actions }: { actions: readonly string[] }) {
  return (
    <ul className={css['list']}>
      {actions.map((action) => (
        <li key={action}>
          <ActionLabel action={action} hasSentence />
        </li>
      ))}
    </ul>
  )
}
