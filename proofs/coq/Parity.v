(** * Parity and parity XOR 'the target is sampled' do not compose (2.2)

    At rate 1/2 one fair coin makes the parity of a sample fair, whatever the others do ([fair]). *)

From Coq Require Import Reals Lra Psatz Lia List Bool Arith.
From Crowdproof Require Import Definitions Binomial Expectation.
Import ListNotations.
Open Scope R_scope.

Section Parity.
Variable Row : Type.
Variable target : Row -> bool.
Notation E := (E Row).

(** A function that changes sign when one more row is sampled has expectation 0. *)
Lemma fair (h : bool -> list Row -> R) t l : (forall c s, h c (t :: s) = h (negb c) s) -> (forall c s, h c s + h (negb c) s = 1) -> forall c, E (1/2) (t :: l) (h c) = 1/2.
Proof. intros H1 H2 c. simpl. rewrite (E_ext Row (1/2) l (fun s => h c (t :: s)) (h (negb c))) by (intro; apply H1).
 rewrite <- E_lin. transitivity (E (1/2) l (fun _ => 1/2)); [| apply E_const]. apply E_ext. intro s. assert (Q := H2 c s). lra. Qed.

Lemma parity_cons (t : Row) s : parity (t :: s) = negb (parity s).
Proof. unfold parity. cbn [length]. rewrite Nat.odd_succ, <- Nat.negb_odd. reflexivity. Qed.

Definition released (s : list Row) : bool := xorb (parity s) (sampled target s).

Lemma released_target t s : target t = true -> sampled target s = false -> released (t :: s) = parity s.
Proof. intros Ht Hs. unfold released. rewrite parity_cons. unfold sampled in *. simpl. rewrite Ht. simpl. destruct (parity s); reflexivity. Qed.

Lemma released_other t s : target t = false -> released (t :: s) = negb (released s).
Proof. intros Ht. unfold released. rewrite parity_cons. unfold sampled. simpl. rewrite Ht. simpl. destruct (parity s), (existsb target s); reflexivity. Qed.

Theorem parity_is_fair D : (1 <= length D)%nat -> forall c, E (1/2) D (fun T => one (Bool.eqb (parity T) c)) = 1/2.
Proof. intros HD c. destruct D as [|t l]; [simpl in HD; lia |].
 apply (fair (fun c s => one (Bool.eqb (parity s) c))); intros c0 s.
 - rewrite parity_cons. destruct (parity s), c0; reflexivity.
 - destruct (parity s), c0; simpl; unfold one; lra. Qed.

(** The order of the rows does not matter here, since both bits count. *)
Lemma E_head b l t l' h : (forall s s', h (s ++ t :: s') = h (t :: s ++ s')) -> E b (l ++ t :: l') h = E b (t :: l ++ l') h.
Proof. intro H. rewrite E_insert. simpl. rewrite (E_app Row b l l' (fun s => h (t :: s))). f_equal. f_equal. apply E_ext. intro s. apply E_ext. intro s'. apply H. Qed.

Lemma released_move t s s' : released (s ++ t :: s') = released (t :: s ++ s').
Proof. unfold released, parity, sampled. cbn [length existsb]. rewrite !app_length, !existsb_app. cbn [length existsb]. rewrite <- plus_n_Sm. f_equal. destruct (existsb target s), (target t), (existsb target s'); reflexivity. Qed.

Theorem released_is_fair l u l' : target u = false -> forall c, E (1/2) (l ++ u :: l') (fun T => one (Bool.eqb (released T) c)) = 1/2.
Proof. intros Hu c. rewrite E_head by (intros; rewrite released_move; reflexivity).
 apply (fair (fun c s => one (Bool.eqb (released s) c))); intros c0 s.
 - rewrite released_other by exact Hu. destruct (released s), c0; reflexivity.
 - destruct (released s), c0; simpl; unfold one; lra. Qed.

(** The pair of both bits tells whether the target was sampled. *)
Lemma pair_tells s : xorb (parity s) (released s) = sampled target s.
Proof. unfold released. destruct (parity s), (sampled target s); reflexivity. Qed.

Lemma E_sampled b D : forall h, (forall s, sampled target s = false -> h s = 0) -> (forall r, In r D -> target r = false) -> E b D h = 0.
Proof. induction D as [|t l IH]; intros h H HD; simpl. apply H. reflexivity.
 rewrite (IH h H) by (intros; apply HD; right; assumption). rewrite (IH (fun s => h (t :: s))). ring.
 - intros s Hs. apply H. unfold sampled in *. simpl. rewrite (HD t) by (left; reflexivity). exact Hs.
 - intros; apply HD; right; assumption. Qed.

Theorem pair_leaks l t l' : target t = true -> (forall r, In r (l ++ l') -> target r = false) ->
  E (1/2) (l ++ t :: l') (fun T => one (xorb (parity T) (released T))) = 1/2 /\ E (1/2) (l ++ l') (fun T => one (xorb (parity T) (released T))) = 0.
Proof. intros Ht Hl.
 assert (Z : forall D, (forall r, In r D -> target r = false) -> E (1/2) D (fun T => one (xorb (parity T) (released T))) = 0).
 { intros D HD. apply E_sampled; [| exact HD]. intros s Hs. rewrite pair_tells, Hs. reflexivity. }
 split; [| apply Z; exact Hl]. rewrite E_insert, Z by exact Hl.
 rewrite (E_ext Row (1/2) l _ (fun _ => 1)). rewrite E_const. lra. intro s. rewrite (E_ext Row (1/2) l' _ (fun _ => 1)). apply E_const. intro s'.
 rewrite pair_tells. unfold sampled. rewrite existsb_app. simpl. rewrite Ht. rewrite orb_true_r. reflexivity. Qed.

End Parity.
