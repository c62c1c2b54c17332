-- additive
-- Figures and classes of a model version, in a format of the service; null from programs of an earlier version.
alter table models add column details json;
