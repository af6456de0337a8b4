import type { ColumnFormat } from '@portico/contract/dashboards/cell-chart'
import { type FormatStyle, formatStyles, plainFormat, usualCurrency } from '@portico/domain/field-format'
import { Fieldset, Select, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { decimalChoices, styleLabels } from '#domain/fields'

type FormatFieldsProps = {
  /** Of the column. */
  name: string
  /** Null for that of the field. */
  format: ColumnFormat | null
  problems: Record<string, string>
  onChange: (format: ColumnFormat | null) => void
}

const isStyle = (value: string | null): value is FormatStyle => formatStyles.some((style) => style === value)

/** The format of one column. */
export function FormatFields({ name, format, problems, onChange }: FormatFieldsProps) {
  return (
    <Fieldset legend={name}>
      <SimpleGrid cols={2} spacing="sm" verticalSpacing="sm">
        <Select
          label={`Format of ${name}`}
          data={[
            { value: '', label: 'As its field' },
            ...formatStyles.map((style) => ({ value: style, label: styleLabels[style] })),
          ]}
          allowDeselect={false}
          value={format?.style ?? ''}
          onChange={(style) =>
            onChange(
              isStyle(style)
                ? { ...(format ?? plainFormat), style, currency: style === 'currency' ? usualCurrency : null }
                : null,
            )
          }
        />
        {format && (
          <>
            <Select
              label={`Decimals of ${name}`}
              data={decimalChoices}
              allowDeselect={false}
              value={format.decimals === null ? '' : String(format.decimals)}
              onChange={(count) => onChange({ ...format, decimals: count ? Number(count) : null })}
            />
            {format.style === 'currency' && (
              <TextInput
                label={`Currency of ${name}`}
                description="Three letters, such as USD, EUR or GBP."
                maxLength={3}
                withAsterisk
                value={format.currency ?? ''}
                error={problems['currency']}
                onChange={(event) => onChange({ ...format, currency: event.currentTarget.value.toUpperCase() })}
              />
            )}
            {(['prefix', 'suffix'] as const).map((part) => (
              <TextInput
                key={part}
                label={`${part === 'prefix' ? 'Prefix' : 'Suffix'} of ${name}`}
                maxLength={20}
                value={format[part] ?? ''}
                error={problems[part]}
                onChange={(event) => onChange({ ...format, [part]: event.currentTarget.value || undefined })}
              />
            ))}
            <Switch
              label="Abbreviate"
              aria-label={`Abbreviate ${name}`}
              description="1.2K for 1,234."
              checked={format.isShort ?? false}
              onChange={(event) => onChange({ ...format, isShort: event.currentTarget.checked || undefined })}
            />
          </>
        )}
      </SimpleGrid>
    </Fieldset>
  )
}
