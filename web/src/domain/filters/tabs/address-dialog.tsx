import { AddressQuery, geocodingApi, type Place } from '@portico/contract/geocoding'
import { TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { useSubmit } from '#lib/submit.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import type { Draft } from '../draft.ts'

type AddressDialogProps = {
  /** `said` says in words which place was found, and how exact it is. */
  onFound: (place: Pick<Draft['location'], 'latitude' | 'longitude'> & { said: string }) => void
  onClose: () => void
}

const inputs = [
  ['address1', 'Address 1'],
  ['address2', 'Address 2'],
  ['city', 'City'],
  ['zip', 'Zip/Postal Code'],
  ['country', 'Country'],
] as const

const required = new Set<string>(['address1', 'city'])

const exactness: Record<Place['precision'], string> = {
  address: 'the address itself',
  zip: 'the middle of its postal code',
  city: 'the middle of its city',
}

const saidOf = ({ label, precision }: Place): string => `Found: ${label} (${exactness[precision]}).`

/** Looks up the coordinates of an address. */
export function AddressDialog({ onFound, onClose }: AddressDialogProps) {
  const form = useForm({
    initialValues: { address1: '', address2: '', city: '', zip: '', country: '' },
    validate: schemaResolver(AddressQuery, { sync: true }),
    validateInputOnChange: true,
  })
  const find = useMutation({ mutationFn: (address: AddressQuery) => call(geocodingApi.geocode, address) })
  const { submit, problem, isBusy } = useSubmit(form, find, {
    done: (place) => {
      onFound({ latitude: String(place.latitude), longitude: String(place.longitude), said: saidOf(place) })
      onClose()
    },
  })
  const onSubmit = form.onSubmit((values) => {
    const filled = Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''))
    // Validated by the form's schema.
    submit(filled as AddressQuery)
  }, focusFirstProblem)
  return (
    <SubmitDialog
      title="Address"
      width={420}
      submitLabel="Save"
      isDirty={form.isDirty()}
      isBusy={isBusy}
      problem={problem}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {inputs.map(([name, label], index) => (
        <TextInput
          key={name}
          label={label}
          withAsterisk={required.has(name)}
          maxLength={200}
          {...(index === 0 && { 'data-autofocus': true })}
          {...form.getInputProps(name)}
        />
      ))}
    </SubmitDialog>
  )
}
