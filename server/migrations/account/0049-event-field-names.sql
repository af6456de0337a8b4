-- Names of custom event fields have one form: composed, and without white space around them (ADR 0110).
RUN tidyEventFieldNames;
