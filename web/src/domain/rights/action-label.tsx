import { actionInWords } from '@portico/contract/rights/action-words'
import css from './rights.module.css'

/** An action by its name and its raw form, with its sentence if asked for. */
export function ActionLabel({ action, hasSentence = false }: { action: string; hasSentence?: boolean }) {
  const { name, sentence } = actionInWords(action)
  return (
    <span className={css['action']}>
      <span className={css['name']}>{name}</span> <code>{action}</code>
      {hasSentence && (
        <>
          {' '}
          <span className={css['sentence']}>{sentence}</span>
        </>
      )}
    </span>
  )
}
