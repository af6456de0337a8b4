import { Button, Select, TextInput } from '@mantine/core'
import { idName, purlName } from './look-up.ts'
import { type ContactSearch, isSearchable } from './use-contact-search.ts'
import css from './contact-search.module.css'

/** The value to find a contact by, for a form whose `onSubmit` is that of the search. */
export function FindFields({ search: { fields, wanted, setWanted, found } }: { search: ContactSearch }) {
  const options = [
    { value: purlName, label: 'PURL' },
    { value: idName, label: 'Contact ID' },
    ...fields.filter(isSearchable).map(({ name }) => ({ value: name, label: name })),
  ]
  return (
    <div className={css['find']}>
      <Select
        label="Find by"
        data={options}
        value={wanted.by}
        onChange={(by) => by !== null && setWanted({ ...wanted, by })}
        allowDeselect={false}
        searchable
      />
      <TextInput
        label="Value"
        data-autofocus
        autoComplete="off"
        value={wanted.text}
        onChange={(event) => setWanted({ ...wanted, text: event.currentTarget.value })}
      />
      <Button type="submit" variant="default" loading={found.isFetching}>
        Find
      </Button>
    </div>
  )
}
