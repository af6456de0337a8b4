import { type RegionKind, regionKinds } from '@portico/contract/dashboards/chart-options'
import { worldCode, worldRegion } from '@portico/contract/dashboards/chart-defaults'
import { messages } from '@portico/contract/messages'
import { Autocomplete, Select } from '@mantine/core'
import { useMemo } from 'react'
import { regionChoices } from '#domain/charts'

/** A region being typed. */
export type TypedRegion = { kind: RegionKind | null; code: string }

type RegionFieldProps = {
  value: TypedRegion
  onChange: (region: TypedRegion) => void
  error: string | undefined
}

const kindNames: Record<RegionKind, string> = {
  world: 'World',
  continent: 'Continent',
  country: 'Country',
  state: 'US state',
}
const hints: Record<RegionKind, string> = {
  world: worldRegion,
  continent: '3 digits, such as 150 for Europe.',
  country: '2 capital letters, such as FR.',
  state: 'US- and 2 capital letters, such as US-CA.',
}

const isKind = (value: string | null): value is RegionKind => regionKinds.some((kind) => kind === value)

/** The region of a map: its kind and its code. */
export function RegionField({ value: { kind, code }, onChange, error }: RegionFieldProps) {
  const choices = useMemo(
    () => (kind === null ? [] : kind === 'world' ? [{ code: worldRegion, name: '' }] : regionChoices(kind)),
    [kind],
  )
  const nameOf = (wanted: string): string => choices.find((choice) => choice.code === wanted)?.name ?? ''
  return (
    <>
      <Select
        label="Region"
        withAsterisk
        data={regionKinds.map((each) => ({ value: each, label: kindNames[each] }))}
        value={kind}
        error={kind === null ? messages.required : undefined}
        onChange={(next) => onChange({ kind: isKind(next) ? next : null, code: next === 'world' ? worldRegion : '' })}
      />
      <Autocomplete
        label="Region code"
        withAsterisk
        description={kind === null ? undefined : hints[kind]}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        error={kind === null ? undefined : error}
        disabled={kind === null}
        data={choices.map((choice) => choice.code)}
        limit={300}
        value={code}
        filter={({ options, search }) => {
          const wanted = search.trim().toLowerCase()
          const isChosen = options.some((option) => 'value' in option && option.value === search)
          return options.filter(
            (option) =>
              isChosen ||
              ('value' in option && `${option.value} ${nameOf(option.value)}`.toLowerCase().includes(wanted)),
          )
        }}
        renderOption={({ option }) => `${option.value} ${nameOf(option.value)}`}
        onChange={(next) => onChange({ kind, code: next })}
      />
    </>
  )
}

/** The region that options name; by default the world. */
export function typedRegion(region: unknown, kindOf: (code: string) => RegionKind): TypedRegion {
  if (typeof region !== 'string' || region === '' || region === worldCode) return { kind: 'world', code: worldRegion }
  return { kind: kindOf(region), code: region }
}
