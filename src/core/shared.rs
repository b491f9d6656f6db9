//! A value that many hold and nobody copies until one of them writes to it.
//!
//! What a plan goes back to is such a copy: it costs nothing where nothing was decided. A [`Token`] tells
//! later whether the value is still the same one; it keeps no copy alive and costs the writer none.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::rc::{Rc, Weak};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A shared value; writing takes a copy of its own where somebody else holds it, too.
#[derive(Default)]
pub struct Shared<T>(Rc<T>);

/// Which value it was. Every write makes it another one.
pub struct Token<T>(Weak<T>);

impl<T> Shared<T> {
    /// What the value is now.
    pub fn token(&self) -> Token<T> {
        Token(Rc::downgrade(&self.0))
    }

    /// Whether nothing was written since, here or to a copy that was taken over. The allocation a token
    /// points to is not used again while the token lives.
    pub fn is(&self, token: &Token<T>) -> bool {
        std::ptr::eq(token.0.as_ptr(), Rc::as_ptr(&self.0))
    }
}

impl<T: Clone> Shared<T> {
    /// The value itself, copied only where somebody else holds it, too.
    pub fn into_inner(self) -> T {
        Rc::unwrap_or_clone(self.0)
    }
}

impl<T> Default for Token<T> {
    /// The token of no value.
    fn default() -> Self {
        Token(Weak::new())
    }
}

impl<T> Clone for Token<T> {
    fn clone(&self) -> Self {
        Token(self.0.clone())
    }
}

impl<T> fmt::Debug for Token<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Rc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || *self.0 == *other.0
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Shared(Rc::new(value))
    }
}

impl<A, T: FromIterator<A>> FromIterator<A> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = A>>(items: I) -> Self {
        Shared(Rc::new(items.into_iter().collect()))
    }
}

impl<'a, A> IntoIterator for &'a Shared<Vec<A>> {
    type Item = &'a A;
    type IntoIter = std::slice::Iter<'a, A>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(|value| Shared(Rc::new(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_leaves_other_copies_alone_and_makes_it_another_value() {
        let mut list: Shared<Vec<u32>> = vec![1, 2].into();
        let (token, copy) = (list.token(), list.clone());
        assert!(list.is(&token) && copy.is(&token));
        list.push(3);
        assert_eq!((list.as_slice(), copy.as_slice()), (&[1, 2, 3][..], &[1, 2][..]));
        assert!(!list.is(&token) && copy.is(&token));
        // Without another copy, too: the value moves away from the token.
        let token = list.token();
        list.push(4);
        assert!(!list.is(&token));
        assert!(!list.is(&Token::default()));
    }
}
