import type { Dashboard } from '@portico/contract/dashboards'
import { type ComboboxParsedItem, Select } from '@mantine/core'

type DashboardPickerProps = { list: readonly Dashboard[]; value: string | null; onChange: (id: string) => void }

/** Chooses a dashboard by its name, a tag or its author; favorites come first. */
export function DashboardPicker({ list, value, onChange }: DashboardPickerProps) {
  const items = (some: readonly Dashboard[]) => some.map(({ _id, name }) => ({ value: _id, label: name }))
  const favourites = list.filter(({ isFavourite }) => isFavourite)
  const others = list.filter(({ isFavourite }) => !isFavourite)
  const byId = new Map(list.map((each) => [each._id, each]))
  return (
    <Select
      aria-label="Dashboard"
      w={230}
      searchable
      allowDeselect={false}
      maxDropdownHeight={420}
      data={
        favourites.length > 0
          ? [
              { group: 'Favourites', items: items(favourites) },
              { group: 'Others', items: items(others) },
            ].filter((group) => group.items.length > 0)
          : items(others)
      }
      filter={({ options, search }) => {
        const wanted = search.trim().toLowerCase()
        const matches = (id: string): boolean => {
          const { name = '', tags = [], author = '' } = byId.get(id) ?? {}
          return [name, author, ...tags].some((text) => text.toLowerCase().includes(wanted))
        }
        return options.flatMap((option): ComboboxParsedItem[] => {
          if (!('group' in option)) return matches(option.value) ? [option] : []
          const found = option.items.filter((item) => matches(item.value))
          return found.length > 0 ? [{ ...option, items: found }] : []
        })
      }}
      value={value}
      onChange={(id) => id !== null && onChange(id)}
    />
  )
}
