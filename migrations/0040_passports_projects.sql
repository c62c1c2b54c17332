-- additive
-- How clients group their documents. Null takes no space in a row.
alter table passport_documents add column project text, add column tags text[];
