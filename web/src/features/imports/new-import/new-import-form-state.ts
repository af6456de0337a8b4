import type { Import } from '@portico/contract/imports'
import { messages } from '@portico/contract/messages'
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form'
import { useMemo, useState } from 'react'
import type { StartingPoint } from '../imports-queries.ts'
import { initialValues, newImportSchema, type NewImportValues, withSettledColumns } from './new-import-rules.ts'
import { useTakenNames } from './taken-names.ts'

export type NewImportForm = UseFormReturnType<NewImportValues>

/** The form of the dialog: validated while typing, with the rules between its fields. */
export function useNewImportForm(start: StartingPoint, shown: Import[]) {
  const { taken, refuse } = useTakenNames(shown)
  const validate = useMemo(() => schemaResolver(newImportSchema(taken), { sync: true }), [taken])
  const [begun] = useState(() => initialValues(start))
  const form = useForm<NewImportValues>({
    initialValues: begun,
    validate,
    validateInputOnChange: true,
    onValuesChange: (values, before) => {
      if (before.generatePURL && !values.generatePURL) {
        form.setFieldValue('dedupHashMatching', false)
        form.clearFieldError('purlColumns')
        form.clearFieldError('dedupColumns')
      }
      if (before.purlGenerationScope !== values.purlGenerationScope)
        form.setValues(withSettledColumns(values, start.binding))
      // Each of the two may be the one that the other requires.
      if (before.latitudeColumn !== values.latitudeColumn) form.clearFieldError('longitudeColumn')
      if (before.longitudeColumn !== values.longitudeColumn) form.clearFieldError('latitudeColumn')
    },
  })
  return {
    form,
    /** The values that the form began with. */
    begun,
    /** An import of this name exists on the server. */
    refuseName: () => {
      refuse(form.values.name)
      form.setFieldError('name', messages.duplicate)
    },
    /** The message of each invalid field, shown already or not; none of the server's, which may accept it now. */
    problems: validate(form.values),
  }
}
