import { Checkbox, Input } from '@mantine/core'
import { useId } from 'react'
import type { PermissionGroup } from './impersonation-rules.ts'
import css from './permission-tree.module.css'

type PermissionTreeProps = {
  groups: PermissionGroup[]
  chosen: string[]
  onChange: (chosen: string[]) => void
  error?: string | undefined
}

/** Chooses permissions one by one, by service, or all at once. */
export function PermissionTree({ groups, chosen, onChange, error }: PermissionTreeProps) {
  const errorId = useId()
  const all = groups.flatMap(({ names }) => names)
  const put = (names: string[], isChosen: boolean): void => {
    const others = chosen.filter((name) => !names.includes(name))
    onChange(isChosen ? [...others, ...names] : others)
  }
  return (
    <fieldset className={css['root']} aria-label="Permissions" aria-describedby={error ? errorId : undefined}>
      <div className={css['all']}>
        <BranchCheckbox label="Select all" names={all} chosen={chosen} onPut={put} isWrong={Boolean(error)} />
        {error && (
          <Input.Error id={errorId} mt={6} role="alert">
            {error}
          </Input.Error>
        )}
      </div>
      <ul className={css['tree']}>
        {groups.map(({ service, names }) => (
          <li key={service}>
            <BranchCheckbox label={service} names={names} chosen={chosen} onPut={put} />
            <ul className={css['names']} aria-label={service}>
              {names.map((name) => (
                <li key={name}>
                  <Checkbox
                    size="xs"
                    label={name}
                    checked={chosen.includes(name)}
                    onChange={(event) => put([name], event.currentTarget.checked)}
                  />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

type BranchCheckboxProps = {
  label: string
  names: string[]
  chosen: string[]
  onPut: (names: string[], isChosen: boolean) => void
  isWrong?: boolean
}

/** Represents all names below it: checked, unchecked, or indeterminate. */
function BranchCheckbox({ label, names, chosen, onPut, isWrong = false }: BranchCheckboxProps) {
  const count = names.filter((name) => chosen.includes(name)).length
  return (
    <Checkbox
      size="xs"
      className={css['service'] ?? ''}
      label={
        <>
          {label}
          <span className={css['count']}>{`${count}/${names.length}`}</span>
        </>
      }
      aria-label={label}
      aria-invalid={isWrong || undefined}
      checked={count === names.length}
      indeterminate={count > 0 && count < names.length}
      onChange={() => onPut(names, count < names.length)}
    />
  )
}
