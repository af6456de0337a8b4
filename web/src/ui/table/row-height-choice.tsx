import { useId } from 'react'
import css from './row-height-choice.module.css'

type RowHeightChoiceProps = { isDense: boolean; onChange: (isDense: boolean) => void }

/**
 * The choice of row height. Looks like Mantine's `SegmentedControl`, which measures its indicator when it appears: on
 * lists, that forces a layout of the whole screen before it is complete.
 */
export function RowHeightChoice({ isDense, onChange }: RowHeightChoiceProps) {
  const name = useId()
  const options = [
    { label: 'Dense', isChosen: isDense, onChoose: () => onChange(true) },
    { label: 'Cozy', isChosen: !isDense, onChoose: () => onChange(false) },
  ]
  return (
    <div role="radiogroup" aria-label="Row height" className={css['root']}>
      {options.map(({ label, isChosen, onChoose }) => (
        <label key={label} className={css['option']}>
          <input type="radio" name={name} className={css['input']} checked={isChosen} onChange={onChoose} />
          {label}
        </label>
      ))}
    </div>
  )
}
