import { type ReactNode, useMemo } from 'react'
import { MultiChooser } from '#ui/form/multi-chooser.tsx'
import { uniqueNames } from './unique-names.ts'

type ChooseByNameProps = {
  label: string
  description?: string
  options: readonly { _id: string; name: string }[]
  /** Ids, in the order in which they were chosen. */
  value: readonly string[]
  onChange: (ids: string[]) => void
  error?: ReactNode
}

/** Chooses policies, groups or identities by their names. A selected entry that is no longer offered stays selected. */
export function ChooseByName({ options, value, onChange, ...props }: ChooseByNameProps) {
  const ids = useMemo(() => uniqueNames(options), [options])
  const chosen = useMemo(() => {
    const names = new Map([...ids].map(([name, id]) => [id, name]))
    return value.flatMap((id) => names.get(id) ?? [])
  }, [ids, value])
  const hidden = value.filter((id) => !options.some(({ _id }) => _id === id))
  return (
    <MultiChooser
      {...props}
      options={[...ids.keys()]}
      value={chosen}
      onChange={(names) => onChange([...hidden, ...names.flatMap((name) => ids.get(name) ?? [])])}
    />
  )
}
