import { screen } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import type { ComponentProps } from 'react'
import { emptyFilter, type Filter, type FilterTab } from '#domain/filters'
// The component itself: the one that `#domain/filters` exports loads it when first shown.
import { FilterBuilder } from '../src/domain/filters/filter-builder.tsx'
import { renderApp } from './render.tsx'

const tabs: FilterTab[] = ['standard', 'behavioral', 'bylocation', 'groupby', 'columns', 'predefined', 'fulltext']

/** Renders the filter builder with all of its tabs; `applied` collects the filters that it applies, in order. */
export function buildFilter(props: Partial<ComponentProps<typeof FilterBuilder>>) {
  const applied: Filter[] = []
  const onApply = (filter: Filter): void => void applied.push(filter)
  const rendered = renderApp(<FilterBuilder fields={[]} value={emptyFilter} tabs={tabs} onApply={onApply} {...props} />)
  return { ...rendered, applied }
}

export const button = (name: string): HTMLElement => screen.getByRole('button', { name })
export const tab = (name: string | RegExp): HTMLElement => screen.getByRole('tab', { name })
export const box = (name: string): HTMLElement => screen.getByRole('textbox', { name })
export const list = (name: string): HTMLElement => screen.getByRole('combobox', { name })

export async function choose(user: UserEvent, select: string, option: string): Promise<void> {
  await user.click(list(select))
  await user.click(await screen.findByRole('option', { name: option }))
}

/** Options of a select. */
export async function offeredBy(user: UserEvent, select: string): Promise<string[]> {
  await user.click(list(select))
  const options = await screen.findAllByRole('option')
  return options.map(({ textContent }) => textContent)
}
