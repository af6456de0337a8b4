import { Text } from '@mantine/core'
import { useId } from 'react'
import css from './toggle-row.module.css'

type ToggleRowProps<Value extends string | number> = {
  label: string
  description?: string
  options: readonly { value: Value; label: string; title?: string }[]
  value: readonly Value[]
  onChange: (value: Value[]) => void
  /** Number of columns of equal width; as wide as the words if not given. */
  columns?: number
}

/** Chooses any of a few short values side by side: days, hours. Each is a checkbox. */
export function ToggleRow<Value extends string | number>(props: ToggleRowProps<Value>) {
  const { label, description, options, value, onChange, columns } = props
  const id = useId()
  const toggle = (one: Value): void =>
    onChange(value.includes(one) ? value.filter((other) => other !== one) : [...value, one])
  return (
    <fieldset className={css['field']}>
      <legend className={css['legend']}>{label}</legend>
      {description && (
        <Text size="xs" c="dimmed" mb={5}>
          {description}
        </Text>
      )}
      <div
        className={css['row']}
        data-columns={columns}
        style={columns === undefined ? {} : { gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
      >
        {options.map((option) => (
          <label key={option.value} className={css['toggle']} title={option.title}>
            <input
              type="checkbox"
              id={`${id}-${option.value}`}
              aria-label={option.title ?? option.label}
              checked={value.includes(option.value)}
              onChange={() => toggle(option.value)}
            />
            <span aria-hidden>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
